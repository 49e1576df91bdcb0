// Tests of the whole service with hosts of all kinds: the third of three parts.

import { together } from '../../support/together.ts'

together(['test/flow/hosts/*.test.ts'], 3, 3)
