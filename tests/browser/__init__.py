"""The app in Chromium. A package, so that its server and browser end before other tests begin."""
