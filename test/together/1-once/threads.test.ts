// The tests of dialogs with mail hosts once more, with the dialogs in a thread of their own.

import { together } from '../../support/together.ts'

process.env.TEST_DELIVERY_THREADS = '1'
together(
  [
    'src/smtp/{ahead,connection,transaction}.test.ts',
    'src/egress/probes.test.ts',
    'src/delivery/send.test.ts',
    'src/queue/manager.test.ts',
    'test/flow/hosts/{obeys-dane,encrypts-where-it-can,fits-what-the-host-takes}.test.ts',
  ],
  1,
  1,
)
