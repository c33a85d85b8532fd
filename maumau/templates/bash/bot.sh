#!/usr/bin/env bash
# my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line.
# No process is started for a decision: everything is done by the shell itself.
set -f

# The texts of a list or an object in $1, keys and values alike, into the array FOUND. $2 is what stands
# before the texts, such as '"legal":[', and $3 what ends them. No text of the arena has quotes in it.
texts() {
  FOUND=()
  [[ $1 == *"$2"* ]] || return
  local inside=${1#*"$2"}
  inside=${inside%%"$3"*}
  local IFS='"' parts i
  read -ra parts <<<"$inside"
  for ((i = 1; i < ${#parts[@]}; i += 2)); do FOUND+=("${parts[i]}"); done
}

# Whether somebody else is about to go out by the message $1, into DANGER: 0 or 1.
look_around() {
  local seat=${1#*'"seat":'} counts=${1#*'"counts":['} other
  seat=${seat%%,*}
  local IFS=,
  read -ra counts <<<"${counts%%]*}"
  DANGER=0
  for other in "${!counts[@]}"; do
    ((other != seat && counts[other] > 0 && counts[other] <= 2)) && DANGER=1
  done
}

# What the action $1 is worth, into WORTH; HAND has the hand.
value() {
  local cards=${1%%[~>@/!]*} card rest=" ${HAND[*]} " top='  ' wish=''
  [[ $1 == *">"* ]] && wish=${1#*>} && wish=${wish:0:1}
  WORTH=-100 # draw, take, pass: only when nothing can be laid
  if [[ $cards =~ ^([2-9TJQKAX][CSHDX])(\+[2-9TJQKAX][CSHDX])*$ ]]; then
    top=${cards: -2}
    for card in ${cards//+/ }; do rest=${rest/ $card / }; done
    WORTH=$((10 * (${#cards} + 1) / 3))
    [[ $wish && $rest == *[A-Z]* ]] && ((WORTH -= 5)) # keep wild cards for later
    ((DANGER)) && [[ ${top:0:1} == [78] ]] && ((WORTH += 8))
  fi
  for card in $rest; do
    if [[ $wish ]]; then
      [[ ${card:1:1} == "$wish" ]] && ((WORTH++))
    else
      [[ ${card:1:1} == "${top:1:1}" || ${card:0:1} == "${top:0:1}" ]] && ((WORTH++))
    fi
  done
}

# The best action of the message $1 with the call it owes; of several the first one in the list.
choose() {
  local best='' most=-1000 action i
  look_around "$1"
  texts "$1" '"hand":[' ']'
  HAND=("${FOUND[@]}")
  texts "$1" '"legal":[' ']'
  for action in "${FOUND[@]}"; do
    value "$action"
    ((WORTH > most)) && most=$WORTH best=$action
  done
  texts "$1" '"call":{' '}'
  for ((i = 0; i < ${#FOUND[@]}; i += 2)); do
    [[ ${FOUND[i]} == "$best" ]] && best+=${FOUND[i + 1]} && break
  done
  printf '%s\n' "$best"
}

while IFS= read -r line; do
  case $line in
    '{"hello":'*) echo '{"ready":"my-bot"}' ;;
    *'"ask":'*) choose "$line" ;;
    *'"bye":'*) exit 0 ;;
  esac
done
