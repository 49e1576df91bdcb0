// The dashboard in a browser: the second of two parts.

import { after, before } from 'node:test'
import { startBrowser, stopBrowser } from '../../support/browser/browser.ts'
import { together } from '../../support/together.ts'

// One browser for all of them.
before(startBrowser)
after(stopBrowser)
together(['test/browser/*.test.ts'], 2, 2)
