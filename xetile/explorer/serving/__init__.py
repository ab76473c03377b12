"""The command `xetile-explore`, and the server of a page that follows its source."""
