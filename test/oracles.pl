# List the functions whose numbers have no oracle, or the oracles of a file.
#
#   perl test/oracles.pl missing DIRECTORY          functions without an oracle, and what is wrong
#   perl test/oracles.pl names DIRECTORY            "FUNCTION FILE" for each function with one
#   perl test/oracles.pl verdicts FUNCTION OUTPUT   the cells of its columns in an output of psql
#   perl test/oracles.pl bend FUNCTION FILE         the file, with the function's results bent
#
# test/oracles.sh describes all of it.
use strict;
use warnings;

my @kinds = ('closed form', 'other implementation', 'brute force', 'invariant', 'published');
my $kind = join '|', @kinds;
my $header = qr/^\w+(?:, \w+)*: (?:$kind)$/;
my $nested;
$nested = qr/\((?:[^()']++|'(?:[^']|'')*'|(??{$nested}))*\)/;

sub lines_of
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	chomp(my @lines = <$in>);
	return @lines;
}

# The functions of the public surface that return a number, or something with numbers in it.
sub functions_with_numbers
{
	my ($directory) = @_;
	my @lines = lines_of("$directory/expected/public_surface.out");
	my $number = qr/\b(?:double precision|integer|bigint|smallint|numeric|real|jsonb)\b/;
	my (%has, %found, @types);
	/^(\w+) \((.*)\)$/ and push @types, [$1, $2] for @lines;
	# A type has numbers if a column of it has, be it of another such type.
	for (1 .. 3)
	{
		for my $type (@types)
		{
			$has{$type->[0]} = 1 if $type->[1] =~ $number || grep { $has{$_} } $type->[1] =~ /skillrating\.(\w+)/g;
		}
	}
	for my $line (@lines)
	{
		next unless $line =~ /^(?:function|aggregate|procedure|window) (\w+)(\(.*)$/;
		my ($name, $rest) = ($1, $2);
		my ($result) = $rest =~ / -> (.*)$/;
		$result = '' unless defined $result;
		# What comes back through arguments; the arguments of a procedure end in a parenthesis.
		my @out = $rest =~ /\b(?:OUT|INOUT) "?\w+"? ([^,()]+)/g;
		$found{$name} = 1
			if $name =~ /^plot_/ || grep { $_ =~ $number || grep { $has{$_} } $_ =~ /skillrating\.(\w+)/g } $result, @out;
	}
	return %found;
}

# The functions that a text calls.
sub called
{
	my ($text) = @_;
	return $text =~ /\bskillrating\.(\w+)\s*\(/g;
}

# Of a file of SQL without comments: for each object that it makes, what the statements call that
# fill it, as far as these begin at the beginning of a line.
sub calls_behind
{
	my ($text) = @_;
	my %behind;
	while ($text =~ /^((?:CREATE (?:OR REPLACE )?(?:TEMP )?(?:TABLE|VIEW|FUNCTION|PROCEDURE)|INSERT INTO|UPDATE|PREPARE|CALL skillrating\.\w+)\b.*?;)[ \t]*(?:\\gset.*)?$/gsm)
	{
		my $statement = $1;
		# A body goes on to its end.
		if ($statement =~ /AS\s*\$\$/ && $statement !~ /\$\$.*\$\$/s && $text =~ /\G.*?\$\$;/gs)
		{
			$statement .= $&;
		}
		my $object = $statement =~ /^(?:CREATE (?:OR REPLACE )?(?:TEMP )?(?:TABLE|VIEW|FUNCTION|PROCEDURE)|INSERT INTO|UPDATE|PREPARE) (\w+)/ ? $1
			: $statement =~ /^CALL skillrating\.\w+\('\w+', '(\w+)'/ ? $1 : next;
		push @{$behind{$object}}, called($statement);
		push @{$behind{$object}}, map { "object $_" } grep { $_ ne $object && $behind{$_} } $statement =~ /\b(\w+)\b/g;
	}
	return \%behind;
}

# Whether a paragraph calls a function, by itself or through what it reads.
sub involves
{
	my ($text, $function, $behind) = @_;
	return 1 if grep { $_ eq $function } called($text);
	my @objects = grep { $behind->{$_} } $text =~ /\b(\w+)\b/g;
	my %seen;
	while (defined(my $object = shift @objects))
	{
		next if $seen{$object}++;
		for my $call (@{$behind->{$object} || []})
		{
			return 1 if $call eq $function;
			push @objects, $1 if $call =~ /^object (.*)/;
		}
	}
	return 0;
}

# The columns of an output, unaligned, that are oracles: [header, line of it, cells].
sub columns
{
	my @lines = @_;
	my @found;
	for my $i (0 .. $#lines)
	{
		my @names = split /\|/, $lines[$i];
		for my $n (grep { $names[$_] =~ $header } 0 .. $#names)
		{
			my @cells;
			for (my $j = $i + 1; $j <= $#lines && $lines[$j] !~ /^\(\d+ rows?\)$/; $j++)
			{
				my @row = split /\|/, $lines[$j], -1;
				push @cells, defined $row[$n] ? $row[$n] : '';
			}
			push @found, [$names[$n], $i, \@cells];
		}
	}
	return @found;
}

# The oracles of all regression tests: FUNCTION => file; and what is wrong with some.
sub oracles
{
	my ($directory) = @_;
	my (%oracle, @wrong);
	for my $file (glob "$directory/test/sql/*.sql")
	{
		my ($name) = $file =~ m{([^/]+)\.sql$};
		my $expected = "$directory/expected/$name.out";
		my @source = lines_of($file);
		next unless -e $expected && grep { /AS "\w[^"]*: / } @source;
		my $text = join "\n", map { s/^\s*--.*//r } @source;
		my $behind = calls_behind($text);
		# A column is found by its header, which a test has once or more often, in the same order.
		my %shown;
		push @{$shown{$_->[0]}}, $_ for columns(lines_of($expected));
		for my $paragraph (split /\n\s*\n/, $text)
		{
			while ($paragraph =~ /AS "([^"]+)"/g)
			{
				my $title = $1;
				next unless $title =~ /: /;
				if ($title !~ $header)
				{
					push @wrong, "test/sql/$name.sql: \"$title\" is not \"FUNCTION: KIND\", with one of the kinds " . join(', ', @kinds);
					next;
				}
				my $column = shift @{$shown{$title} || []};
				if (!$column)
				{
					push @wrong, "test/sql/$name.sql: expected/$name.out has no column \"$title\"";
					next;
				}
				if (!@{$column->[2]} || grep { $_ ne 't' } @{$column->[2]})
				{
					push @wrong, "test/sql/$name.sql: \"$title\" is not true in expected/$name.out";
					next;
				}
				for my $function (split /, /, $title =~ s/: .*//r)
				{
					if (involves($paragraph, $function, $behind)) { $oracle{$function}{"test/sql/$name.sql"} = 1 }
					else { push @wrong, "test/sql/$name.sql: \"$title\" calls no skillrating.$function()" }
				}
			}
		}
	}
	return (\%oracle, \@wrong);
}

# A file in which each call of a function is one of its double in the schema bent, or, of an
# aggregate or a window function, goes through bent.number().
sub bend
{
	my ($function, $file, $wraps) = @_;
	my $text = join "\n", lines_of($file);
	return $text =~ s/\bskillrating\.\Q$function\E(?=\s*\()/bent.$function/gr unless $wraps;
	my $over = qr/(?:\s*FILTER\s*$nested)?(?:\s*OVER\s*(?:\w+|$nested))?/;
	return $text =~ s/\bskillrating\.\Q$function\E\s*$nested$over/bent.number($&)/gr;
}

my ($what, @arguments) = @ARGV;
if ($what eq 'missing')
{
	my ($oracle, $wrong) = oracles($arguments[0]);
	my %needs = functions_with_numbers($arguments[0]);
	print "$_\n" for @$wrong;
	print "$_() has no oracle: add a column AS \"$_: KIND\" that is true to a file in test/sql, see CONTRIBUTING.md\n"
		for grep { !$oracle->{$_} } sort keys %needs;
}
elsif ($what eq 'names')
{
	my ($oracle) = oracles($arguments[0]);
	for my $function (sort keys %$oracle) { print "$function $_\n" for sort keys %{$oracle->{$function}} }
}
elsif ($what eq 'verdicts')
{
	for my $column (columns(lines_of($arguments[1])))
	{
		next unless grep { $_ eq $arguments[0] } split /, /, $column->[0] =~ s/: .*//r;
		print "$_\n" for @{$column->[2]};
	}
}
elsif ($what eq 'bend')
{
	print bend(@arguments), "\n";
}
