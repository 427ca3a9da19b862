"""What tests share: servers, generators, fakes."""
