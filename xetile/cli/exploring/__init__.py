"""What `xetile-explore` is made of: files to explorations, and a server of a page that follows its file."""
