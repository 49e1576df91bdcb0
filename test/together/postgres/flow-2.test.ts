// What the whole service does on PostgreSQL: the second of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 2, 4, 'postgres')
