// Tests of the API and the rules of domains on PostgreSQL, as far as a database is concerned.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 1, 1, 'postgres')
