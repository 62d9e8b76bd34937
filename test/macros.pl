# List the arguments of macros that have a side effect.
#
#   perl test/macros.pl HEADERS FILE...
#
# test/macros.sh describes the rule.  HEADERS is the directory of the server's headers.  Files are
# read as texts without comments and strings; both sides of an #if count.
use strict;
use warnings;
use File::Find;

# Functions without an effect but their result, of the C library, of the server and of ours.  One
# whose only effect is memory for its result, as tick_label(), is slow twice, but right.
my %pure = map { $_ => 1 } qw(fabs sqrt floor ceil lround abs strlen sizeof offsetof
	GetMemoryChunkSpace pg_mbstrlen
	axis_ceiling axis_floor command_states count_attribute effort_of id_table_count inner_width
	json_value_size max_swaps_tried memory_limit_work_mem steps_around_search tick_label
	ticks_that_fit);

my $assigns = qr/(?<![=!<>])(?:[-+*\/%&|^]|<<|>>)?=(?!=)/;
my $nested;
$nested = qr/\((?:[^()]++|(??{$nested}))*\)/;

# Of a file without comments, and without what stands in quotes; lines keep their numbers.
sub code_of
{
	my ($file) = @_;
	local $/;
	open my $in, '<', $file or die "$file: $!\n";
	my $text = <$in>;
	$text =~ s{(/\*.*?\*/|//[^\n]*)|("(?:\\.|[^"\\\n])*")|('(?:\\.|[^'\\\n])+')}
		{ my $lines = ($1 // '') =~ tr/\n//; defined $1 ? ' ' . "\n" x $lines : defined $2 ? '""' : '0' }gse;
	return $text;
}

sub arguments
{
	my ($text) = @_;
	my @parts = ('');
	while ($text =~ /\G($nested|,|[^,(]+|[()])/gs)
	{
		if ($1 eq ',') { push @parts, '' } else { $parts[-1] .= $1 }
	}
	return @parts;
}

# The macros with arguments of a text: NAME => list of [parameters, body].
my (%macro, %ours);
sub define
{
	my ($text, $is_ours) = @_;
	while ($text =~ /^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()]*)\)((?:\\\n|[^\n])*)/gm)
	{
		my ($name, $parameters, $body) = ($1, $2, $3);
		$body =~ s/\\\n/ /g;
		push @{$macro{$name}}, [[map { s/\s//gr } split /,/, $parameters], $body];
		$ours{$name} = 1 if $is_ours;
	}
}

# The calls in a text: [name, arguments, offset], the calls inside of arguments too.
sub calls
{
	my ($text) = @_;
	my @found;
	while ($text =~ /(?<!\w)([A-Za-z_]\w*)\s*(?=($nested))/g)
	{
		push @found, [$1, substr($2, 1, -1), $-[0]];
	}
	return @found;
}

# How often a text evaluates a parameter, by itself or through a macro that it hands it to.
my %times;
sub evaluations
{
	my ($text, $parameter) = @_;
	$text =~ s/\b(?:sizeof|typeof|__typeof__)\s*$nested|#\s*\w+|\w+\s*##(?:\s*\w+)?//g;
	my $n = () = $text =~ /(?<!\w)\Q$parameter\E(?!\w)/g;
	for my $call (calls($text))
	{
		my ($name, $inside) = @$call;
		next unless $macro{$name};
		my @arguments = arguments($inside);
		for my $i (0 .. $#arguments)
		{
			$n = 2 if $arguments[$i] =~ /(?<!\w)\Q$parameter\E(?!\w)/ && times_of($name, $i) == 2;
		}
	}
	return $n;
}

# 1 if all definitions of a macro evaluate its argument i once, else 2.
sub times_of
{
	my ($name, $i) = @_;
	my $key = "$name $i";
	return $times{$key} if defined $times{$key};
	$times{$key} = 1;			# for a macro that names itself
	my ($least, $most);
	for my $definition (@{$macro{$name}})
	{
		my ($parameters, $body) = @$definition;
		my $parameter = $i < @$parameters ? $parameters->[$i] : $parameters->[-1] // '';
		$parameter = '__VA_ARGS__' if $parameter eq '...';
		my $n = $parameter eq '' ? 1 : evaluations($body, $parameter);
		# A type, or what is pasted or printed, is no expression.
		$n = 1 if $n == 0 && $body =~ /(?:#\s*|\bsizeof\s*\(\s*)\Q$parameter\E\b|\b\Q$parameter\E\s*##/;
		$least = $n if !defined $least || $n < $least;
		$most = $n if !defined $most || $n > $most;
	}
	return $times{$key} = $least == 1 && $most == 1 ? 1 : 2;
}

# What an argument does besides having a value, if anything.
sub effect
{
	my ($argument, $calls_count) = @_;
	return "has $&" if $argument =~ /\+\+|--/;
	return 'has an assignment' if $argument =~ $assigns;
	return undef unless $calls_count;
	return 'calls a function by its address' if $argument =~ /\(\s*\*\s*[\w.>-]+\s*\)\s*\(/;
	for my $call (calls($argument))
	{
		# Conversions of a Datum are macros in PostgreSQL 15 and inline functions since 16.
		return "calls $call->[0]()"
			unless $pure{$call->[0]} || $macro{$call->[0]} || $call->[0] =~ /^DatumGet|GetDatum$/;
	}
	return undef;
}

my ($server, @files) = @ARGV;
find({ wanted => sub { define(code_of($_), 0) if /\.h$/ }, no_chdir => 1 }, $server);
die "no macro Max() below $server\n" unless $macro{Max};
my %code = map { $_ => code_of($_) } @files;
define($code{$_}, 1) for @files;

for my $file (@files)
{
	my $text = $code{$file};
	# The head of a definition is no call; its body has calls.
	$text =~ s/^[ \t]*#[ \t]*define[ \t]+\w+\([^()]*\)//gm;
	for my $call (calls($text))
	{
		my ($name, $inside, $offset) = @$call;
		next unless $macro{$name};
		my @arguments = arguments($inside);
		for my $i (0 .. $#arguments)
		{
			my $counts = times_of($name, $i) == 2;
			next unless $counts || $ours{$name};
			my $effect = effect($arguments[$i], $counts);
			next unless defined $effect;
			my $line = 1 + (substr($text, 0, $offset) =~ tr/\n//);
			my $shown = $arguments[$i] =~ s/\s+/ /gr =~ s/^ //r;
			print "$file:$line: the argument \"$shown\" of the macro $name() $effect\n";
		}
	}
}
