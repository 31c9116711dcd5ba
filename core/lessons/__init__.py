"""What the lessons compute: for each its settings and its trace."""
