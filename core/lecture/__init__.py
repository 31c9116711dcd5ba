"""A lecture as data: which pages in which states, in what order, with notes and minutes."""
