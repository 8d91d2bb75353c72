"""Where sources come from: git objects, files on disk, GitHub."""
