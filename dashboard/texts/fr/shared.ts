// Texts of the page that shows a shared message, in French.

import type { Translation } from '../texts.ts'

export const shared: Translation<typeof import('../en/shared.ts').shared> = {
  title: 'Message partagé',
  from: 'De',
  deliveredTo: 'Distribué à {email}',
  notKept: 'Le contenu de ce message n’est plus conservé.',
}
