// Tests of the whole service with hosts of all kinds: the second of three parts.

import { together } from '../../support/together.ts'

together(['test/flow/hosts/*.test.ts'], 2, 3)
