// What the API and the rules of domains do on SQLite: the first of three parts.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 1, 3)
