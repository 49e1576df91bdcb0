// What the whole service does on PostgreSQL: the fourth of four parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 4, 4, 'postgres')
