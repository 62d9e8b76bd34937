# How the examples of a page are found: sourced by the scripts that run them.
# shellcheck shell=bash

# The blocks, without their indentation.
examples() {
	awk '
		!/^    / { inside = sql = 0; next }
		!inside { inside = 1; sql = /^    (ALTER|BEGIN|CALL|CREATE|DELETE|DO|DROP|GRANT|INSERT|PREPARE|RESET|REVOKE|SELECT|SET|UPDATE|WITH) / || /^    (BEGIN|COMMIT|ROLLBACK);/ }
		sql { print substr($0, 5) }
	' "$1"
}

# Of an example only what is to be run: from a keyword to the semicolon that ends a line,
# outside of $$.  What comes then, and starts with a space, a dash or NOTICE, is output;
# where a page shows none, there is none to compare.
commands() {
	awk '
		function flush() {
			if (statement != "")
				printf "%s", shown ? statement : "\\o /dev/null\n" statement "\\o\n"
			statement = ""; shown = 0
		}
		!running && /^([ -]|NOTICE:|WARNING:|DETAIL:|HINT:)/ { shown = 1; next }
		!running { flush() }
		{ statement = statement $0 "\n"; quotes += gsub(/\$\$/, "&"); running = quotes % 2 || !/;$/ }
		END { flush() }
	'
}
