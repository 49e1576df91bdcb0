// The dashboard in a browser: the first of two parts.

import { after, before } from 'node:test'
import { startBrowser, stopBrowser } from '../../support/browser/browser.ts'
import { together } from '../../support/together.ts'

// One browser for all of them.
before(startBrowser)
after(stopBrowser)
together(['test/browser/*.test.ts'], 1, 2)
