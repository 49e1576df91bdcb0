// What the whole service does on SQLite: the third of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 3, 4)
