// Roles of the users of an account: each role includes the rights of the previous roles.

export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** True if `role` includes the rights of `wanted`. */
export const roleCovers = (role: Role, wanted: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(wanted)
