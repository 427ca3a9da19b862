"""What every service's process needs: settings, clock, server, interceptors, errors, clients."""
