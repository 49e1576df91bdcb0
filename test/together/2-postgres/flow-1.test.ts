// Tests of the whole service on PostgreSQL: the first of three parts.

import { together } from '../../support/together.ts'

together(['test/flow/*.test.ts'], 1, 3, 'postgres')
