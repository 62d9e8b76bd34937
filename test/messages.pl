# List the messages of the sources below a directory, and what is wrong with them.
#
#   perl test/messages.pl DIRECTORY list|check
#
# test/messages.sh describes both.  A source is read as a text without comments; calls and
# statements are cut at parentheses and semicolons outside of quotes, which is enough for ours.
use strict;
use warnings;

my ($directory, $what) = @ARGV;
my (@messages, @problems);

my $c_string = qr/"(?:\\.|[^"\\])*"/;
my $c_quote = qr/$c_string|'(?:\\.|[^'\\])+'/;
my $sql_string = qr/'(?:''|[^'])*'/;
my $quote;						# of the language at hand
my $nested;
sub set_language
{
	$quote = shift;
	$nested = qr/\((?:[^()'"]++|$quote|(??{$nested}))*\)/;
}

# What stands between commas outside of quotes and parentheses.
sub arguments
{
	my ($text) = @_;
	my @parts = ('');
	while ($text =~ /\G($quote|$nested|\[[^\]]*\]|,|[^,])/gs)
	{
		if ($1 eq ',') { push @parts, '' } else { $parts[-1] .= $1 }
	}
	s/^\s+|\s+$//g for @parts;
	return @parts;
}

# Adjacent strings of C as one text; macros between them are formats.
sub c_text
{
	my ($text) = @_;
	return undef unless $text =~ /^(?:$c_string|[A-Z][A-Z0-9_]*|\s+)+$/ && $text =~ /"/;
	my $joined = '';
	while ($text =~ /\G\s*(?:"((?:\\.|[^"\\])*)"|([A-Z][A-Z0-9_]*))/g)
	{
		$joined .= defined $1 ? $1 : $2 =~ /64_FORMAT/ ? '%lld' : $2;
	}
	$joined =~ s/\\(.)/$1/g;
	return $joined;
}

sub message
{
	my ($file, $line, $severity, $state, $field, $text) = @_;
	push @messages, { file => $file, line => $line, severity => $severity, state => $state,
		field => $field, text => $text };
}

sub problem
{
	my ($file, $line, $text) = @_;
	push @problems, "$file:$line: $text";
}

my %c_fields = (errmsg => 'message', errmsg_plural => 'message', errmsg_internal => 'internal',
	errdetail => 'detail', errdetail_plural => 'detail', errdetail_internal => 'detail',
	errdetail_log => 'detail', errhint => 'hint', errhint_plural => 'hint',
	errcontext => 'context');

# One call of errmsg() and its like.
sub c_call
{
	my ($file, $line, $severity, $state, $name, $inside) = @_;
	my @args = arguments($inside);
	my $formats = $name =~ /_plural$/ ? 2 : 1;

	for my $format (splice @args, 0, $formats)
	{
		# A variable or a macro is a whole text, which is a literal elsewhere.
		next if $format =~ /^\s*\w+\s*$/;
		my $text = c_text($format);
		if (defined $text)
		{
			message($file, $line, $severity, $state, $c_fields{$name}, $text);
		}
		else
		{
			problem($file, $line, "$name() has no literal text: $format");
		}
	}
	for my $argument (@args)
	{
		problem($file, $line, "$name() is given a literal for a placeholder: $argument")
			if $argument =~ /^$c_string|[?:]\s*$c_string/;
	}
}

# Texts of tables and helpers that messages and results are made of.
my $c_helpers = qr/unrated|keep_first|tuner_warn|json_[a-z_]+|psprintf|refuse[a-z_]*|report_[a-z_]+/;

sub read_c
{
	my ($file, $text) = @_;
	set_language($c_quote);
	$text =~ s{($c_quote)|/\*.*?\*/}{defined $1 ? $1 : $& =~ s/[^\n]+//gr}gse;
	my $line_at = sub { 1 + substr($text, 0, $_[0]) =~ tr/\n// };
	my $calls = sub {
		my ($from, $part, $severity, $state) = @_;
		while ($part =~ /\b(err(?:msg|detail|hint|context)[a-z_]*)\s*($nested)/g)
		{
			next unless $c_fields{$1};
			my ($name, $inside, $at) = ($1, $2, $-[0]);
			c_call($file, $line_at->($from + $at), $severity, $state, $name, substr($inside, 1, -1));
		}
	};

	my @spans;
	while ($text =~ /\bereport\s*($nested)/g)
	{
		my ($inside, $at) = ($1, $-[1]);
		push @spans, [ $-[0], $+[0] ];
		my ($severity) = $inside =~ /\(\s*([A-Za-z_]+)/;
		my ($state) = $inside =~ /errcode\(\s*ERRCODE_([A-Z0-9_]+)/;
		$calls->($at, $inside, $severity, lc($state // '-'));
	}
	while ($text =~ /\belog\s*($nested)/g)
	{
		my ($inside, $line) = ($1, $line_at->($-[0]));
		push @spans, [ $-[0], $+[0] ];
		my ($severity, $format) = arguments(substr($inside, 1, -1));
		message($file, $line, $severity, 'internal_error', 'internal', c_text($format) // $format);
	}
	substr($text, $_->[0], $_->[1] - $_->[0]) =~ s/[^\n]/ /g for @spans;
	$calls->(0, $text, '-', '-');
	while ($text =~ /\.(\w*(?:detail|hint))\s*=\s*((?:$c_string\s*)+)/g)
	{
		my ($name, $string) = ($1, $2);
		message($file, $line_at->($-[0]), '-', '-', $name =~ /hint/ ? 'hint' : 'detail',
			c_text($string));
	}
	while ($text =~ /\.(description|summary)\s*=\s*((?:$c_string\s*)+)/g)
	{
		message($file, $line_at->($-[0]), '-', '-', $1, c_text($2));
	}
	while ($text =~ /\b(?:$c_helpers)\s*($nested)/g)
	{
		my $at = $-[0];
		for (arguments(substr($1, 1, -1)))
		{
			my $string = c_text($_);
			message($file, $line_at->($at), '-', '-', 'text', $string)
				if defined $string && $string =~ /\w \w/ && $string !~ /\bSELECT\b|\bAS\b|=\\?"/;
		}
	}
	return unless $file =~ m{/core/|unrated\.c$};
	while ($text =~ /(?:\breturn|=\s*\{"\w+",)\s*((?:$c_string\s*)+)/g)
	{
		my $string = c_text($1);
		message($file, $line_at->($-[0]), '-', '-', 'text', $string) if $string =~ / /;
	}
}

# The literals of an expression of SQL: whole texts, and those put together of pieces.
sub sql_texts
{
	my ($file, $line, $severity, $state, $field, $expression) = @_;
	my $said = $expression;

	if ($said =~ s/$sql_string//gr =~ /\|\||\bconcat(?:_ws)?\s*\(/i)
	{
		problem($file, $line, "\U$field\E is put together of pieces");
	}
	while ($said =~ /\bformat\s*($nested)/gi)
	{
		my ($format, @rest) = arguments(substr($1, 1, -1));
		for (@rest)
		{
			problem($file, $line, "format() is given a literal for a placeholder: $_")
				if /^$sql_string$|\b(?:THEN|ELSE)\s+$sql_string/i;
		}
	}
	$said =~ s/($sql_string)|\bformat\s*($nested)/$1 \/\/ (arguments(substr($2, 1, -1)))[0]/gie;
	# A WHEN compares, and arguments of functions other than format() are values.
	$said =~ s/\bWHEN\b(?:$sql_string|[^'])*?\bTHEN\b/THEN/gi;
	$said =~ s/($sql_string)|\b\w[\w.]*\s*$nested/$1 \/\/ ''/ge;
	while ($said =~ /((?:$sql_string\s*)+)/g)
	{
		my $text = join '', map { s/^'|'$//gr } $1 =~ /$sql_string/g;
		$text =~ s/''/'/g;
		message($file, $line, $severity, $state, $field, $text);
	}
}

sub read_sql
{
	my ($file, $text) = @_;
	set_language($sql_string);
	$text =~ s{($sql_string)|--[^\n]*}{$1 // ''}gse;
	# What SQL is executed as a string has no RAISE.
	while ($text =~ /\bRAISE\b((?:$sql_string|[^';])*);/g)
	{
		my ($statement, $at) = ($1, $-[0]);
		my $line = 1 + substr($text, 0, $at) =~ tr/\n//;
		my ($severity, $state) = ('ERROR', 'raise_exception');
		if ($statement =~ s/^\s+(DEBUG|LOG|INFO|NOTICE|WARNING|EXCEPTION)\b//)
		{
			$severity = $1 unless $1 eq 'EXCEPTION';
			$state = '-' unless $1 eq 'EXCEPTION';
		}
		elsif ($statement =~ s/^\s+([a-z_]+)(?=\s+USING|\s*$)//) { $state = $1 }
		elsif ($statement =~ s/^\s+SQLSTATE\s+'(\w+)'//) { $state = $1 }
		my ($format, $options) = $statement =~ /^(.*?)(?:\bUSING\b(.*))?$/s;
		if ($format =~ /^\s*((?:$sql_string\s*)+)(.*)$/s)
		{
			my ($string, $rest) = ($1, $2);
			$string = join '', map { s/^'|'$//gr } $string =~ /$sql_string/g;
			$string =~ s/''/'/g;
			if ($string eq '%')
			{
				problem($file, $line, 'RAISE has no literal text');
			}
			message($file, $line, $severity, $state, 'message', $string);
			problem($file, $line, "RAISE is given a literal for a placeholder: $rest")
				if $rest =~ /\b(?:THEN|ELSE)\s+$sql_string/i;
		}
		for (arguments($options // ''))
		{
			if (/^ERRCODE\s*=\s*'(\w+)'/) { $state = $1 }
		}
		for (arguments($options // ''))
		{
			sql_texts($file, $line, $severity, $state, lc $1, $2)
				if /^(MESSAGE|DETAIL|HINT)\s*=\s*(.*)$/s;
		}
	}
}

# But for names, which are written as they are.
sub begins_in_lower_case
{
	my ($text) = @_;
	return $text !~ /^[A-Z][a-z]/ || $text =~ /^(?:AdaGrad|Davidson|Elo|Glicko)\b/;
}

sub check_message
{
	my ($m) = @_;
	my ($field, $text) = @$m{qw(field text)};
	my $say = sub { problem($m->{file}, $m->{line}, "$_[0]: $text") };
	# Quoted values, examples and SQL are as they are.
	my $words = $text =~ s/"[^"]*"|'[^']*'//gr;

	$say->('a space at the end') if $text =~ /\s$/;
	$say->('two spaces') if $text =~ /  /;
	$say->('the reader is addressed') if $words =~ /\byou(r|rs|rself)?\b/i;
	$say->('a contraction')
		if $text =~ /\b(?:do|does|did|is|are|was|were|has|have|had|ca|could|would|should|wo|must)n't\b|\b\w+'(?:re|ve|ll)\b|\b(?:it|that|there)'s\b/i;
	$say->('an exclamation mark') if $words =~ /!/;
	if ($field eq 'message' || $field eq 'internal' || $field eq 'text' || $field eq 'context')
	{
		$say->('a full stop at the end') if $text =~ /[^.]\.$/ && $field ne 'text';
		$say->('a capital at the beginning') if !begins_in_lower_case($text) && $field ne 'text';
		$say->('more than 120 characters') if length($text) > 120 && $field eq 'message' && $text !~ /must not be null$/;
	}
	elsif ($field eq 'detail' || $field eq 'hint')
	{
		$say->("\U$field\E without a full stop at the end") if $text !~ /[.?]$/ && $text !~ /^%s?$/;
		# A function, a setting or a placeholder keeps its own letter.
		$say->("\U$field\E without a capital at the beginning")
			if $text =~ /^[a-z]/ && $text !~ /^[a-z_.]+(\(|\s*=)|^[a-z]+_[a-z_]+\b/;
		$say->('a line break') if $text =~ /\n/;
	}
	elsif ($field eq 'description' || $field eq 'summary')
	{
		$say->('a full stop at the end') if $text =~ /\.$/;
		$say->('a capital at the beginning') if $field eq 'description' && !begins_in_lower_case($text);
		$say->('a clause for a subject') if $text =~ /^(?:what|who|whose)\b/i;
	}
	$say->('a clause for a subject') if $field =~ /message|detail|hint/ && $text =~ /^(?:what|who|whose)\b/i;
}

# The same but for capitals, quotes, placeholders and stops.
sub check_spellings
{
	my %first;
	for my $m (grep { $_->{field} =~ /^(?:message|detail|hint)$/ } @messages)
	{
		next if $m->{text} =~ /^%s\.?$/;
		my $plain = lc $m->{text};
		# A placeholder of RAISE, of format() or of C; some values bring their quotes.
		my $written = $m->{text} =~ s/"?%(?:lld|zu|[a-zIL](?![a-z])|(?![a-zA-Z%]))"?/%/gr;
		$plain =~ s/"?%(?:lld|zu|[a-z](?![a-z])|(?![a-z%]))"?/%/g;
		$plain =~ s/[".,;:]//g;
		$plain = "$m->{field} $plain";
		if (!$first{$plain}) { $first{$plain} = [ $m, $written ] }
		elsif ($first{$plain}[1] ne $written)
		{
			my $other = $first{$plain}[0];
			problem($m->{file}, $m->{line},
				"spelt otherwise at $other->{file}:$other->{line}: $m->{text}");
		}
	}
}

chdir $directory or die "$directory: $!";
for my $file (sort map { glob } qw(src/*/*.[ch] src/*/*/*.[ch] sql/*.sql modules/*/sql/*.sql))
{
	open my $handle, '<', $file or die "$file: $!";
	local $/;
	my $text = <$handle>;
	$file =~ /\.sql$/ ? read_sql($file, $text) : read_c($file, $text);
}
if ($what eq 'list')
{
	print join("\t", "$_->{file}:$_->{line}", @$_{qw(severity state field text)}), "\n" for @messages;
}
else
{
	check_message($_) for @messages;
	check_spellings();
	print "$_\n" for @problems;
}
