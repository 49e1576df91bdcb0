// Tests of the API and the rules of domains on PostgreSQL: the second of two parts.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 2, 2, 'postgres')
