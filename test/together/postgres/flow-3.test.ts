// What the whole service does on PostgreSQL: the third of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 3, 4, 'postgres')
