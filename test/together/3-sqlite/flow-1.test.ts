// Tests of the whole service on SQLite: the first of two parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 1, 2)
