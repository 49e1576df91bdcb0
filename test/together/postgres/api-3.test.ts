// What the API and the rules of domains do on PostgreSQL: the third of three parts.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 3, 3, 'postgres')
