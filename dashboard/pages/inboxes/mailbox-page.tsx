// The address of the mailbox of the playground, which leads to its test inbox.

import { Navigate } from 'react-router'
import { MAILBOX } from './calls.ts'

export const Component = () => <Navigate to={`/inboxes/${MAILBOX}`} replace />
