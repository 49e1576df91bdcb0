// Tests of the whole service on PostgreSQL: the second of three parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 2, 3, 'postgres')
