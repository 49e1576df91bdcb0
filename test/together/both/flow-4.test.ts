// What the whole service does on either database: the fourth of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 4, 4)
