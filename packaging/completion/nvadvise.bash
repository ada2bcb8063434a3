# bash completion for nvadvise. It asks the program itself, so it cannot fall behind it.

_nvadvise_commands()
{
    nvadvise --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\)  .*/\1/p'
}

# Options of a command, from its --help; with $2 the one that takes a value as well.
_nvadvise_options()
{
    nvadvise "$1" --help 2>/dev/null |
        sed -n '/^options:/,$s/^  \(-., \|    \)\(--[a-z-]*\) *\([A-Z=]*\).*/\2 \3/p'
}

_nvadvise()
{
    local cur prev command word i kind
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    # "--name=value" arrives as three words.
    if [ "$cur" = "=" ]; then
        cur=
    elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    command=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    if [ -z "$command" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_nvadvise_commands) --help --version" -- "$cur")
        return
    fi
    case $prev in
    --format | -f) word="text json" ;;
    --fail-on) word="info low medium high critical" ;;
    --color) word="auto always never" ;;
    --profile) word="durable balanced replica bulk_load" ;;
    --server | --target) word="mysql: percona: mariadb:" ;;
    --*)
        kind=$(_nvadvise_options "$command" | sed -n "s/^$prev //p")
        case $kind in
        DIR)
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
            ;;
        FILE | PATH | CAPTURE)
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
            ;;
        ?*) return ;;
        esac
        ;;
    esac
    if [ -z "${word:-}" ]; then
        case $cur in
        -*) word=$(_nvadvise_options "$command" | sed 's/ .*//') ;;
        *)
            case $command in
            explain) word=$(nvadvise rules list 2>/dev/null | sed 's/ .*//') ;;
            rules) word="list lint test" ;;
            *)
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                return
                ;;
            esac
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
}

complete -o filenames -F _nvadvise nvadvise
