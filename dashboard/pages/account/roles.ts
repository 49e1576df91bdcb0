// Rights of each role, in a sentence.

import type { Role } from '../../session.ts'

export const ROLES: readonly { readonly role: Role; readonly label: string; readonly may: string }[] = [
  { role: 'viewer', label: 'Viewer', may: 'Sees everything but secrets.' },
  {
    role: 'developer',
    label: 'Developer',
    may: 'Also sends, edits templates and streams, makes keys, and verifies addresses.',
  },
  { role: 'admin', label: 'Admin', may: 'Also adds and deletes domains, and looks after people.' },
  { role: 'owner', label: 'Owner', may: 'May do everything.' },
]
