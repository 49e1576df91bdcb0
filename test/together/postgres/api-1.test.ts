// Tests of the API and the rules of domains on PostgreSQL: the first of two parts.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 1, 2, 'postgres')
