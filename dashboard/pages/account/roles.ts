// Rights of each role, in a sentence.

import type { Role } from '../../session.ts'

export const ROLES: readonly { readonly role: Role; readonly label: string; readonly may: string }[] = [
  { role: 'viewer', label: 'Viewer', may: 'Read access to everything except secrets.' },
  {
    role: 'developer',
    label: 'Developer',
    may: 'Also sends messages, edits templates and streams, creates API keys, verifies addresses.',
  },
  { role: 'admin', label: 'Admin', may: 'Also adds and deletes domains, and manages users.' },
  { role: 'owner', label: 'Owner', may: 'Full access, including other owners.' },
]
