// Views of invitations.

import type { Invited } from '../../access/invitations.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import type { Invitation } from '../../store/access/invitations.ts'
import type { InvitationMade, InvitationView } from '../contract/person.ts'

export const invitationView = (invitation: Invitation): InvitationView => ({
  invitation_id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  created_at: formatTime(invitation.created_at),
  expires_at: formatTime(invitation.expires_at),
})

/** Returns a new invitation, with its link if the caller may see the link. */
export const invitedView = ({ invitation, url, mailed }: Invited): InvitationMade => ({
  ...invitationView(invitation),
  ...(url === undefined ? {} : { url }),
  mailed,
})
