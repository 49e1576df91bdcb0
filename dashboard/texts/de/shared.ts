// Texts of the page that shows a shared message, in German.

import type { Translation } from '../texts.ts'

export const shared: Translation<typeof import('../en/shared.ts').shared> = {
  title: 'Geteilte Nachricht',
  from: 'Von',
  deliveredTo: 'Zugestellt an {email}',
  notKept: 'Der Inhalt dieser Nachricht wird nicht mehr aufbewahrt.',
}
