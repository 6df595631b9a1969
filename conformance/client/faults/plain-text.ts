// Answers that are no JSON: a refusal in plain text, as ERR-2 has it, and a gateway's page.
import type { ApiResponse } from '../call.ts';
import { type SentRequest, sameRequest } from '../intents.ts';
import type { Fault } from './fault.ts';

// No status in the words: who prints one has read it from the status line.
const refusal: ApiResponse = {
  status: 422,
  headers: [['content-type', 'text/plain; charset=utf-8']],
  body: 'The body could not be read: a member that is required is missing.\n',
};

const page: ApiResponse = {
  status: 502,
  headers: [['content-type', 'text/html; charset=utf-8']],
  body: [
    '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body>\r\n',
    '<center><h1>Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
  ].join(''),
};

/** ERR-2: a body that cannot be read cannot be read the next time either. */
export function refuseInText(site: string): Fault {
  let refused: SentRequest | null = null;
  const struck = 'answered 422 in plain text instead of the platform';
  return {
    meet: (met) => {
      if (met.isFirst && met.site === site) refused = met;
      const again = refused !== null && (met.site === site || sameRequest(refused, met));
      return again ? { kind: 'answer', struck, response: refusal } : null;
    },
  };
}

/** One call meets a gateway that has lost the platform; the next one does not. */
export function meetGateway(site: string): Fault {
  const struck = 'answered 502 with a page of HTML, as a gateway does';
  return {
    meet: (met) =>
      met.isFirst && met.site === site ? { kind: 'answer', struck, response: page } : null,
  };
}
