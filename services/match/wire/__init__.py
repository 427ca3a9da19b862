"""Between protobuf and the domain; nothing else in this service sees both."""
