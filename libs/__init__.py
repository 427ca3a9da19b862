"""What Sparrow's services share: rules, event core, transport, the edge, the client, the command line."""
