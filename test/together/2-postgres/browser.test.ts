// Figures and the search in a browser on PostgreSQL.

import { after, before } from 'node:test'
import { startBrowser, stopBrowser } from '../../support/browser/browser.ts'
import { together } from '../../support/together.ts'

before(startBrowser)
after(stopBrowser)
together(['test/browser/{home,searching}.test.ts'], 1, 1, 'postgres')
