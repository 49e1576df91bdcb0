// Tests of the whole service on PostgreSQL: the third of three parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 3, 3, 'postgres')
