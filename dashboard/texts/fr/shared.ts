// Texts of a message under a link that expires, in French.

import type { Translation } from '../texts.ts'

export const shared: Translation<typeof import('../en/shared.ts').shared> = {
  title: 'Message partagé',
  from: 'De',
  deliveredTo: 'Distribué à {email}',
  notKept: 'Le contenu de ce message n’est plus conservé.',
}
