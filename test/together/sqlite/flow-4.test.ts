// What the whole service does on SQLite: the fourth of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 4, 4)
