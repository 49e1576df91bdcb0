// What the whole service does on either database: the first of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 1, 4)
