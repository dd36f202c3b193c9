# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
my %h;
while (1) {
	for my $i (0 .. 200) { $h{$i * 7 % 13} .= "x$i "; }
	my @s = sort { $h{$a} cmp $h{$b} } keys %h;
	my $t = join '', values %h;
	$t =~ s/(x\d+) /<$1>/g;
	%h = () if length $t > 20000;
	eval { die 'x' };
	sprintf '%s %f', $t, 1.5;
}
