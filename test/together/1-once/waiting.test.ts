// Tests beside their files that wait for time limits, beside those that keep the processor busy.

import { together, WAITING } from '../../support/together.ts'

together(WAITING, 1, 1)
