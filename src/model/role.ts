// Roles of the users of an account: each role includes the rights of the previous roles.

export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** True if `role` includes the rights of `wanted`. */
export const roleCovers = (role: Role, wanted: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(wanted)

/** A user with the account that operates the installation, which is null if there are no accounts. */
interface OperatorOrNot {
  readonly role: Role
  readonly account_id: string
  readonly operating_account_id: string | null
}

/** True for an owner of the account that operates the installation. */
export const isOperator = ({ role, account_id, operating_account_id }: OperatorOrNot): boolean =>
  role === 'owner' && account_id === operating_account_id
