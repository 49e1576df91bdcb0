// Tells if the client of a request still waits for its answer.

import type { FastifyRequest } from 'fastify'

/** True if the connection has closed: then work for the request ends. */
export const isGone = ({ raw }: FastifyRequest): boolean => raw.socket.destroyed
