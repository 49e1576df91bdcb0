// What the whole service does on PostgreSQL: the second of two parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 2, 2, 'postgres')
