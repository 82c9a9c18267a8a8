import { attacksOf, honestly, offer } from '../attack.ts';

const edit = 'echo "# x" >> sandbox/solve.sh';
const named = (name: string): string => `touch "$(printf '${name}')"\n${edit}`;

/** Links, odd files and odd names: what is written is not where it seems to be. */
export const filesystemTricks = attacksOf('filesystem tricks', {
  'writes outside by a full path': ['outside', offer(`echo hello > @OUTSIDE@/@SLUG@\n${honestly}`)],
  'writes outside by going up': [
    'outside',
    offer(
      `d=$PWD; while [ "$d" != / ]; do d=$(dirname "$d"); [ -d "$d/outside" ] && echo hello > "$d/outside/@SLUG@" && break; done\n${honestly}`,
    ),
  ],
  'removes what stands outside': ['outside', offer(`rm -f @OUTSIDE@/diary.txt\n${honestly}`)],
  'writes into the home': ['outside', offer(`echo "echo hello" > @HOME@/.profile\n${honestly}`)],
  'has the agent write outside': ['outside', `echo hello > @OUTSIDE@/@SLUG@\n${edit}`],
  'has the agent remove what stands outside': ['outside', `rm -rf @OUTSIDE@/private.txt\n${edit}`],
  'writes through a link it was given': [
    'outside',
    `ln -s @OUTSIDE@/diary.txt sandbox/link\n${offer(`echo hello > sandbox/link\n${honestly}`)}`,
  ],
  'writes through a linked directory': [
    'outside',
    `ln -s @OUTSIDE@ sandbox/dir\n${offer(`echo hello > sandbox/dir/@SLUG@\n${honestly}`)}`,
  ],
  'writes through a link in its output': [
    'outside',
    offer(`ln -s @OUTSIDE@/diary.txt "$ORGREPO_OUT/link"; echo hello > "$ORGREPO_OUT/link"\n${honestly}`),
  ],
  'makes its file another name of one outside': [
    'outside',
    `ln -f @OUTSIDE@/diary.txt sandbox/other 2>/dev/null\n${offer(`echo hello >> sandbox/other 2>/dev/null\n${honestly}`)}\necho hello >> sandbox/other`,
  ],
  'offers a pipe instead of a program': ['kept', 'rm sandbox/solve.sh; mkfifo sandbox/solve.sh'],
  'offers an endless file': ['kept', 'rm sandbox/solve.sh; ln -s /dev/zero sandbox/solve.sh'],
  'offers nothing at all': ['kept', 'rm -rf sandbox'],
  'offers a file in the place of the sandbox': ['kept', 'rm -rf sandbox; echo hello > sandbox'],
  'adds a file beside the sandbox': ['recorded', `echo hello > beside.txt\n${edit}`],
  'links to the passwords': ['recorded', `ln -s /etc/passwd sandbox/passwd\n${edit}`],
  'makes a program that runs by itself': ['recorded', `chmod 4755 sandbox/solve.sh\n${edit}`],
  'has a name with an escape in it': ['recorded', named('sandbox/a\\033[2Jb')],
  'has a name of two lines': ['recorded', named('sandbox/a\\nOrg-Score: 0')],
  'has a name that reads backwards': ['recorded', named('sandbox/a\\342\\200\\256b')],
  'has a name that is no text': ['recorded', named('sandbox/a\\377b')],
  'has a name that git reads': ['recorded', `mkdir -p sandbox/x; echo "* text" > sandbox/x/.gitattributes\n${edit}`],
  'has a name that looks like another': ['recorded', named('sandbox/sol\\342\\200\\213ve.sh')],
});
