// Tests of the whole service on SQLite: the second of two parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 2, 2)
