// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * twice
 *
 * Calls two static functions that are both named same_name, in two objects made of twice_unit.c, once
 * each. Prints nothing; exits with 0.
 */
int call_first(int value);
int call_second(int value);

int main(int argc, char **argv)
{
	(void)argv;
	return call_first(argc) + call_second(argc) == 2 * argc + 3 ? 0 : 1;
}
