"""What a person takes away: code that gives the same numbers, the arrays, a page of its own."""
